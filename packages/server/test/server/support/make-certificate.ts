import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { makeFolder } from './start-server.ts';

/** Paths of a new key and a certificate for a host, from a separate authority. */
export async function makeCertificate(name: string): Promise<{ cert: string; key: string }> {
  const folder = await makeFolder();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-days', '2'],
    ...['-keyout', key, '-out', cert],
  ]);
  return { cert, key };
}

/** Makes Node trust a certificate, as NODE_EXTRA_CA_CERTS does, until the test is over. */
export async function trust(cert: string): Promise<void> {
  const before = getCACertificates('default');
  onTestFinished(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, await readFile(cert, 'utf8')]);
}
