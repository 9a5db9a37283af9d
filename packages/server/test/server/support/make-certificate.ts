import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';
import { makeFolder } from './start-server.ts';

/** Paths of a new key and a certificate for a host, from a separate authority. */
export async function makeCertificate(name: string): Promise<{ cert: string; key: string }> {
  const folder = await makeFolder();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const { cert: text, private: secret } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  });
  await Promise.all([writeFile(cert, text), writeFile(key, secret)]);
  return { cert, key };
}

/** Makes Node trust a certificate, as NODE_EXTRA_CA_CERTS does, until the test is over. */
export async function trust(cert: string): Promise<void> {
  const before = getCACertificates('default');
  onTestFinished(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, await readFile(cert, 'utf8')]);
}
