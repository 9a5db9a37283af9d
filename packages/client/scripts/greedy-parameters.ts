/** Returns the sorted, unique names of all path parameters that a document marks with `x-berth-greedy`. */
export function greedyParameters(node: unknown): string[] {
  return [...new Set(find(node))].sort();
}

function find(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { name, in: place, 'x-berth-greedy': greedy } = node as Record<string, unknown>;
  const here = greedy === true && place === 'path' ? [String(name)] : [];
  return [...here, ...Object.values(node).flatMap(find)];
}
