/**
 * Whether `fetch` sends a request for this address to a server: it is absolute, http or https, and
 * has no user and password, which `fetch` would refuse with an error that quotes them.
 */
export function isFetchable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && !username && !password;
}
