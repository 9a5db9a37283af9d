import { X509Certificate } from 'node:crypto';
import { StartError } from '../start-error.ts';
import { readTextFile } from './read-file.ts';

/**
 * Certificates of authorities.
 *
 * @throws StartError where the file has none that can be read
 */
export async function readCertificates(file: string): Promise<string> {
  const text = await readTextFile(file, '--ca');
  try {
    // Node takes anything here, and says nothing until a connection fails.
    new X509Certificate(text);
    return text;
  } catch {
    throw new StartError(`The file of --ca has no certificate in PEM: ${file}.`);
  }
}
