/** A stream of Node that fails before it is read would end the process; it is asked for that later. */
export function holdErrors(orders: readonly { readonly data: unknown }[]): void {
  for (const { data } of orders) {
    if (typeof data === 'object' && data && 'on' in data) {
      (data as { on(event: 'error', listener: () => void): void }).on('error', () => {});
    }
  }
}
