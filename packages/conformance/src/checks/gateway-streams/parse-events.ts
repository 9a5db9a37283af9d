/** An event of an event stream. */
export interface StreamEvent {
  id: string;
  data: string;
}

/**
 * The whole events of an event stream in order (HTML, section 9.2.6). What has no empty line behind it
 * is not whole yet; comments and events without data are left out.
 */
export function parseEvents(text: string): StreamEvent[] {
  const blocks = text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split('\n\n')
    .slice(0, -1);
  return blocks.flatMap((block) => {
    const lines = block.split('\n');
    const valuesOf = (name: string) =>
      lines
        .filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
    const data = valuesOf('data');
    return data.length === 0 ? [] : [{ id: valuesOf('id').at(-1) ?? '', data: data.join('\n') }];
  });
}
