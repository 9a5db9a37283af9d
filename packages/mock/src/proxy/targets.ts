/** Base addresses of a deployment. */
export interface ProxyTargets {
  /** `{base_url}` of the contract. */
  readonly gateway: string;
  /** `{storage_api_url}` of the contract. */
  readonly storage: string;
}

/**
 * The addresses of the option `proxy`, whose paths end without a slash.
 *
 * @param proxy one address for both, or each its own
 * @param names of the addresses, for the error
 * @throws TypeError that names the wrong one
 */
export function toProxyTargets(
  proxy: string | ProxyTargets,
  names: ProxyTargets = { gateway: 'proxy.gateway', storage: 'proxy.storage' },
): ProxyTargets {
  const { gateway, storage } =
    typeof proxy === 'string' ? { gateway: proxy, storage: proxy } : proxy;
  return {
    gateway: toBase(names.gateway, gateway),
    storage: toBase(names.storage, storage),
  };
}

function toBase(name: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !isHttp(url)) {
    throw new TypeError(`${name} must be an address such as https://dev.example.com.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`${name} must hold no credentials: the calls bring their own.`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError(`${name} must have no query and no fragment.`);
  }
  let end = url.pathname.length;
  while (url.pathname[end - 1] === '/') end -= 1;
  return url.origin + url.pathname.slice(0, end);
}

export function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}
