let base = '';
export const setBase = (url: string) => {
  base = url;
};

// #region fetch
export async function send<T>(url: string, init: RequestInit & { to?: string }): Promise<T> {
  const response = await fetch(init.to ?? base + url, init);
  const type = response.headers.get('Content-Type') ?? '';
  const data = type.startsWith('text/event-stream')
    ? response.body
    : type.includes('json')
      ? await response.json()
      : await response.text();
  return { data, status: response.status, headers: response.headers } as T;
}
// #endregion
