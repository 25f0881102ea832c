// Reads an AsyncAPI document from standard input; writes what the official parser finds wrong with it, as JSON.
import { readFileSync } from "node:fs";
import { Parser } from "@asyncapi/parser";

const WORSE_THAN_A_HINT = 1;

const { document, diagnostics } = await new Parser().parse(readFileSync(0, "utf-8"));
const found = diagnostics.filter((found) => found.severity <= WORSE_THAN_A_HINT);
console.log(
  JSON.stringify({
    channels: document?.channels().all().length ?? 0,
    wrong: found.map(({ code, path, message }) => `${code} at ${path.join("/")}: ${message}`),
  }),
);
