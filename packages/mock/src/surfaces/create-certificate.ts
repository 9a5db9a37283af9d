import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { generate } from 'selfsigned';
import type { Certificate } from './http-server.ts';

const DAY = 24 * 3600 * 1000;

const DAYS = 30;

export async function createCertificate(host: string): Promise<Certificate> {
  const names = [...new Set(['localhost', '*.localhost', hostname(), host])];
  const addresses = [...new Set(['127.0.0.1', '::1', host])];
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    // Deno rejects SHA-1, the default.
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + DAYS * DAY),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          ...names.filter((name) => isIP(name) === 0).map((value) => ({ type: 2, value }) as const),
          ...addresses.filter((ip) => isIP(ip) > 0).map((ip) => ({ type: 7, ip }) as const),
        ],
      },
    ],
  });
  return { key, cert };
}
