/** Schema check: the little of JSON Schema that tool inputs use. The host validates by it (§2.11). */

import { fieldsOf, isFields, listOf } from "../../../src/host/fields.ts";

/** @returns what is wrong, one line each */
export function schemaProblems(schema: unknown, value: unknown, path = "input"): readonly string[] {
  const rules = fieldsOf(schema);
  const type = rules["type"];
  if (typeof type === "string" && !hasType(type, value)) return [`${path} is no ${type}`];
  const choices = rules["enum"];
  if (Array.isArray(choices) && !choices.includes(value)) return [`${path} is none of ${choices.join(", ")}`];
  return [...numberProblems(rules, value, path), ...objectProblems(rules, value, path)];
}

function hasType(type: string, value: unknown): boolean {
  switch (type) {
    case "object":
      return isFields(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function numberProblems({ minimum, maximum }: Json, value: unknown, path: string): readonly string[] {
  if (typeof value !== "number") return [];
  if (typeof minimum === "number" && value < minimum) return [`${path} is below ${String(minimum)}`];
  return typeof maximum === "number" && value > maximum ? [`${path} is above ${String(maximum)}`] : [];
}

type Json = Readonly<Record<string, unknown>>;

function objectProblems(rules: Json, value: unknown, path: string): readonly string[] {
  if (!isFields(value)) return [];
  const properties = fieldsOf(rules["properties"]);
  const missing = listOf(rules["required"]).filter((name) => typeof name === "string" && value[name] === undefined);
  return [
    ...missing.map((name) => `${path}.${String(name)} is missing`),
    ...Object.entries(value).flatMap(([name, item]) =>
      Object.hasOwn(properties, name) ? schemaProblems(properties[name], item, `${path}.${name}`) : [],
    ),
  ];
}
