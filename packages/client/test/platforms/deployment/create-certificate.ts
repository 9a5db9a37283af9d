import { execFile } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A self-signed certificate for the loopback interface. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Path of `cert`. */
  readonly file: string;
  /** Its {@link toPin}. */
  readonly pin: string;
}

/** Creates a certificate in a folder. It is not a CA, because some platforms reject those for servers. */
export async function createCertificate(folder: string, name: string): Promise<Certificate> {
  const [file, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const extensions = [
    'basicConstraints=critical,CA:FALSE',
    'subjectAltName=IP:127.0.0.1,DNS:localhost',
    'extendedKeyUsage=serverAuth',
  ];
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-subj', `/CN=${name}`, '-days', '2', '-keyout', keyFile, '-out', file],
    ...extensions.flatMap((extension) => ['-addext', extension]),
  ]);
  const [cert, key] = await Promise.all([readFile(file, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key, file, pin: toPin(cert) };
}

/** Returns the SHA-256 of a certificate's public key, in base64. */
export function toPin(cert: string): string {
  const publicKey = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(publicKey).digest('base64');
}
