"""Reading mail: addresses, headers, bodies, domains, one fold; pure, total and bounded."""
