/**
 * One sentence where a version of Node is too old, else `undefined`.
 *
 * @param version of Node, `22.12.0`
 * @param range the `engines.node` of a package, of the form `>=22.12`
 */
export function whyUnsupported(version: string, range: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = range.replace('>=', '').split('.').map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined;
  return `Node ${wantedMajor}.${wantedMinor} or later is needed; this is ${version}.`;
}
