/** How a server may write what it was sent, by name. */
export const spellings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  'in JSON': (text) => JSON.stringify({ text }).slice(9, -2),
  'in a URL': (text) => encodeURIComponent(text),
  'in base64': (text) => Buffer.from(text).toString('base64'),
};
