import { createServer } from 'node:http';
import { type Listening, listen } from '../../../../scripts/testing/listen.ts';
import { spellings } from './spell.ts';

/**
 * Starts a server that echoes what it received everywhere: in the status line, header names and values, and
 * the body, in every spelling. Its responses all violate the contract.
 */
export async function startParrot(secrets: readonly string[]): Promise<Listening> {
  const server = createServer((request, response) => {
    const heard = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
    const spelt = secrets.flatMap((secret) =>
      Object.values(spellings).map((spell) => spell(secret)),
    );
    response.statusMessage = 'OK';
    response.setHeader('X-Request-Id', secrets[0] ?? '');
    response.setHeader(
      'X-Heard',
      heard.map((line) => encodeURIComponent(line)),
    );
    response.setHeader('Location', `/?token=${encodeURIComponent(secrets.join(' '))}`);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ code: secrets[0], message: spelt.join(' '), heard }));
    request.resume();
  });
  return listen(server);
}
