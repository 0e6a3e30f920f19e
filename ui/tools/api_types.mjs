// SPDX-License-Identifier: Apache-2.0
//
// Generates src/api/types.ts from the OpenAPI document of the server.
//
//   npm run types:api               writes the file
//   npm run types:api -- --check    fails if the file is out of date
import { readFileSync, writeFileSync } from "node:fs";

const DOCUMENT = new URL("../../docs/reference/openapi.json", import.meta.url);
const TYPES = new URL("../src/api/types.ts", import.meta.url);

// client.ts defines Answered, where `meta` may be missing. Pages do not use the others.
const NOT_WRITTEN = new Set(["Answered", "Error", "OpenApiDocument"]);

const HEADER = `// SPDX-License-Identifier: Apache-2.0
//
// Responses of the API. Generated from docs/reference/openapi.json by \`npm run types:api\`: do not edit.
import type { Answered } from "./client";
`;

const nameOf = (reference) => reference.slice(reference.lastIndexOf("/") + 1);

// A type in front of [] or in a union.
const inBrackets = (type) => (/^readonly |\|/.test(type) && !type.startsWith("{") ? `(${type})` : type);

function typeOf(schema, indent) {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, indent)).join(" | ");
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(" | ");
  }
  if (schema.enum !== undefined) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `readonly ${inBrackets(typeOf(schema.items, indent))}[]`;
    case "object":
      if (schema.additionalProperties !== undefined) return mapOf(schema.additionalProperties, indent);
      return `{\n${fieldsOf(schema, `${indent}  `)}${indent}}`;
    case undefined:
      return "unknown";
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

// Breaks lines like Biome.
function mapOf(schema, indent) {
  const value = typeOf(schema, `${indent}    `);
  if (!value.includes("\n")) return `Readonly<Record<string, ${value}>>`;
  return `Readonly<\n${indent}  Record<\n${indent}    string,\n${indent}    ${value}\n${indent}  >\n${indent}>`;
}

function fieldsOf(schema, indent) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties)
    .map(([name, property]) => {
      const comment = property.description === undefined ? "" : ` // ${property.description}`;
      return `${indent}readonly ${name}${required.has(name) ? "" : "?"}: ${typeOf(property, indent)};${comment}\n`;
    })
    .join("");
}

function declarationOf(name, schema) {
  const comment = schema.description === undefined ? "" : `// ${schema.description}\n`;
  const [base, own] = schema.allOf ?? [undefined, schema];
  if (own.properties === undefined) return `${comment}export type ${name} = ${typeOf(own, "")};\n`;
  const parent = base === undefined ? "" : ` extends ${nameOf(base.$ref)}`;
  return `${comment}export interface ${name}${parent} {\n${fieldsOf(own, "  ")}}\n`;
}

const { components } = JSON.parse(readFileSync(DOCUMENT, "utf8"));
const declarations = Object.entries(components.schemas)
  .filter(([name]) => !NOT_WRITTEN.has(name))
  .map(([name, schema]) => declarationOf(name, schema));
const text = [HEADER, ...declarations].join("\n");

if (!process.argv.includes("--check")) {
  writeFileSync(TYPES, text);
} else if (readFileSync(TYPES, "utf8") !== text) {
  console.error("src/api/types.ts is out of date: run `npm run types:api`");
  process.exit(1);
}
