/**
 * The ports that pages use: for the mock, for the server, for the server's administration, for Vite, and for a
 * reader's own services.
 */
export const PORTS = [4010, 4020, 4021, 4443, 5173, 8080, 9000];

const MOCK = 'http://127.0.0.1:4010';

/**
 * Host names that represent a deployment in code on pages. When a block runs, they resolve to the page's
 * mock.
 */
export const PLACEHOLDERS = new Map(
  ['api.example.com', 'dev.gateway.example.com', 'gateway.example.com', 'storage.example.com'].map(
    (host) => [host, MOCK],
  ),
);

/** Returns whether a text contains calls to a mock, which must then be running. */
export function callsMock(text: string): boolean {
  return text.includes(MOCK) || [...PLACEHOLDERS.keys()].some((host) => text.includes(host));
}
