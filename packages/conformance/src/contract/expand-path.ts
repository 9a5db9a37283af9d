/**
 * Fills a path template with values, each percent-encoded.
 *
 * @throws Error where a parameter of the template has no value
 * @example
 * expandPath('/v1/cloudrun/{name}', { name: 'hello' }); // '/v1/cloudrun/hello'
 */
export function expandPath(template: string, values: Record<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${template}: no value for ${name}`);
    return encodeURIComponent(value);
  });
}
