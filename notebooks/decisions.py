"""The decisions log as charts: the funnel from messages to archive, and which tier decided.

It reads approved runs through the project's own reader, so an altered log is refused here too; it shows counts only and
writes nothing.

    .venv/bin/python -m marimo run notebooks/decisions.py

GMAILTRIAGE_ACCOUNT (default: demo) and GMAILTRIAGE_WORKSPACE (default: the account's own) choose another mailbox.
"""

import marimo

app = marimo.App(width="medium", app_title="gmailtriage decisions")

with app.setup:
    import os
    from pathlib import Path

    import altair as alt
    import marimo as mo
    import polars as pl

    from pipeline.models.decision import Decision
    from pipeline.sealing.documents import read_decision_logs
    from pipeline.session import Request, open_session

    STEPS = ("messages", "relevant", "decided", "label", "archive")
    SOURCES = ("override", "tier1", "template", "sender", "review", "none", "irrelevant")


@app.function
def read_logs() -> tuple[tuple[str, tuple[Decision, ...]], ...]:
    """(run, decisions) of every approved run of the chosen mailbox, oldest first."""
    folder = os.environ.get("GMAILTRIAGE_WORKSPACE")
    request = Request(os.environ.get("GMAILTRIAGE_ACCOUNT", "demo"), workspace=Path(folder) if folder else None)
    with open_session(request) as session:
        return read_decision_logs(session.context.workspace)


@app.function
def steps_of(decision: Decision) -> tuple[str, ...]:
    """The steps of the funnel that a decision reached; each step holds the next.

    relevant: the rule pack knows such mail. decided: a rule said what it is. label, archive: what the gate left of it.
    """
    reached = (
        True,
        decision.source not in ("irrelevant", "none"),
        decision.source != "review",
        decision.action != "leave",
        decision.action == "label+archive",
    )
    count = next((number for number, is_reached in enumerate(reached) if not is_reached), len(STEPS))
    return STEPS[:count]


@app.function
def funnel(logs) -> pl.DataFrame:
    """One row a run and step: run, step, messages."""
    rows = [
        {"run": run, "step": step, "messages": sum(step in steps_of(one) for one in decisions)}
        for run, decisions in logs
        for step in STEPS
    ]
    return pl.DataFrame(rows, schema={"run": pl.String, "step": pl.String, "messages": pl.Int64})


@app.function
def tiers(logs) -> pl.DataFrame:
    """One row a run and source: run, source, messages."""
    rows = [
        {"run": run, "source": source, "messages": sum(one.source == source for one in decisions)}
        for run, decisions in logs
        for source in SOURCES
    ]
    return pl.DataFrame(rows, schema={"run": pl.String, "source": pl.String, "messages": pl.Int64})


@app.function
def bars(table: pl.DataFrame, column: str, order: tuple[str, ...], title: str) -> alt.FacetChart:
    """Horizontal bars with their numbers, one panel a run."""
    y = alt.Y(f"{column}:N", sort=list(order), title=None)
    base = alt.Chart().encode(x=alt.X("messages:Q", title="messages"), y=y)
    drawn = alt.layer(base.mark_bar(), base.mark_text(align="left", dx=4).encode(text="messages:Q"))
    panels = alt.layer(*drawn.layer, data=alt.Data(values=table.to_dicts()))
    return panels.facet(row=alt.Row("run:N", title=None)).properties(title=title)


@app.cell
def _():
    logs = read_logs()
    return (logs,)


@app.cell
def _(logs):
    mo.md(f"""
    # Decisions

    {len(logs)} approved runs, {sum(len(decisions) for _, decisions in logs)} decisions.
    """)
    return


@app.cell
def _(logs):
    funnel_table = funnel(logs)
    funnel_chart = bars(funnel_table, "step", STEPS, "From messages to archive")
    funnel_chart
    return funnel_chart, funnel_table


@app.cell
def _(logs):
    tier_table = tiers(logs)
    tier_chart = bars(tier_table, "source", SOURCES, "Which tier decided")
    tier_chart
    return tier_chart, tier_table


if __name__ == "__main__":
    app.run()
