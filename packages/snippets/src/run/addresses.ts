/** Ports that pages use: those of mock and server, of the server's administration, and of one's own services. */
export const PORTS = [4010, 4020, 4021, 4443, 8080, 9000];

const MOCK = 'http://127.0.0.1:4010';

/** Hosts of deployments in the code of pages; when a block runs, they are the page's mock. */
export const PLACEHOLDERS = new Map(
  ['api.example.com', 'dev.gateway.example.com', 'gateway.example.com', 'storage.example.com'].map(
    (host) => [host, MOCK],
  ),
);

/** Whether a text calls a mock that somebody has to have started. */
export function callsMock(text: string): boolean {
  return text.includes(MOCK) || [...PLACEHOLDERS.keys()].some((host) => text.includes(host));
}
