/** Neutral name → name on the wire. */
export type Names = ReadonlyMap<string, string>;

/** `value` with each name replaced, in keys and, as a whole word, in text. */
export function rename(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return renameText(value, names);
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [names.get(key) ?? key, rename(item, names)]),
  );
}

function renameText(text: string, names: Names): string {
  const words = [...names.keys()].map((name) => name.replace(/[^\w-]/g, '\\$&')).join('|');
  return text.replace(new RegExp(`(?<![\\w-])(${words})(?![\\w-])`, 'g'), (name) => {
    return names.get(name) ?? name;
  });
}
