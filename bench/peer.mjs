// The peer: one saved response a file -> JSON.parse -> the fields of a snapshot's row -> one JSON file.
// Usage: node peer.mjs FOLDER OUT
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const [folder, out] = process.argv.slice(2);
const TABS = ["CATEGORY_PROMOTIONS", "CATEGORY_UPDATES", "CATEGORY_SOCIAL", "CATEGORY_FORUMS", "CATEGORY_PERSONAL"];

function sender(value) {
  const found = /^\s*"?([^"<]*?)"?\s*<([^<>\s]+@([^<>\s]+))>\s*$/.exec(value ?? "");
  const address = (found?.[2] ?? value ?? "").toLowerCase();
  return { name: found?.[1] ?? "", address, domain: address.split("@")[1] ?? "" };
}

function attachments(part) {
  const own = part.filename && part.body?.attachmentId ? 1 : 0;
  return (part.parts ?? []).reduce((count, child) => count + attachments(child), own);
}

function row(id, threadId, from, subject, date, labels, rest) {
  const who = sender(from);
  const category = TABS.find((tab) => labels.includes(tab))?.slice(9).toLowerCase() ?? null;
  return { id, threadId, name: who.name, address: who.address, domain: who.domain, subject, date, labels, category, ...rest };
}

function full(message) {
  const headers = {};
  for (const { name, value } of message.payload.headers) headers[name.toLowerCase()] ??= value;
  return row(message.id, message.threadId, headers.from, headers.subject, Number(message.internalDate), message.labelIds ?? [], {
    unsubscribe: "list-unsubscribe" in headers,
    oneClick: "list-unsubscribe-post" in headers,
    listId: headers["list-id"] ?? null,
    auth: headers["authentication-results"] ?? null,
    historyId: message.historyId,
    attachments: attachments(message.payload),
  });
}

function searched(thread) {
  return thread.messages.map((m) => row(m.id, thread.id, m.sender, m.subject, Date.parse(m.date), m.labelIds ?? [], {}));
}

const rows = [];
for (const name of readdirSync(folder).sort()) {
  const document = JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
  if (document.threads) rows.push(...document.threads.flatMap(searched));
  else rows.push(full(document));
}
writeFileSync(out, JSON.stringify(rows));
