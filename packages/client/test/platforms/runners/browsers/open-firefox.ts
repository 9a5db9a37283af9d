import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENGINES } from '@berth/runtimes/engines';
import type { OpenPage } from './open-page.ts';
import { startProgram } from './start-program.ts';

/** SHA-256, by Firefox's name for it. */
const SHA_256 = 'OID.2.16.840.1.101.3.4.2.1';
/** Firefox only opens our own page. */
const PREFERENCES = `
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
`;
const NAMES = ENGINES.firefox.programs.flat();

/** Opens the installed Firefox. It accepts the certificate like a user who accepts the risk. */
export const openFirefox: OpenPage = async (url, { profile, trusted, deployment, onGone }) => {
  const { fingerprint256 } = new X509Certificate(await readFile(trusted.file));
  const exception = [`${new URL(deployment.secure.gateway).host}:`, SHA_256, fingerprint256, ''];
  await writeFile(join(profile, 'cert_override.txt'), `${exception.join('\t')}\n`);
  await writeFile(join(profile, 'user.js'), PREFERENCES);
  const args = ['--headless', '--no-remote', '--profile', profile, url];
  return startProgram(NAMES, args, { HOME: profile }, onGone).end;
};
