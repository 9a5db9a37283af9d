/**
 * Standalone code of Ajv without the schemas that it declares and never looks at. Ajv declares one for
 * each validator, on a line of its own, and uses few of them.
 */
export function dropUnusedSchemas(code: string): string {
  const counts = new Map<string, number>();
  for (const [name] of code.matchAll(/\bschema\d+\b/g)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return code.replace(/^const (schema\d+) = .*;\n/gm, (line, name: string) =>
    counts.get(name) === 1 ? '' : line,
  );
}
