import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** Packages whose rows name something that they do. */
const PACKAGES: Readonly<Record<string, string>> = {
  'Express 5 by hand': 'express',
  'undici.stream': 'undici',
  'busboy to disk with fsync': '@fastify/busboy',
  'prism-cli': '@stoplight/prism-cli',
  'openapi-fetch with a time limit': 'openapi-fetch',
};
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  nginx: ['nginx', '-v'],
  'curl -F': ['curl', '--version'],
};

/** The version of a peer; empty for a bound, and for what is part of Node. */
export function peerVersion(peerName: string): string {
  const program = PROGRAMS[peerName];
  if (program) return versionOf(program);
  const manifest = findManifest(PACKAGES[peerName] ?? peerName);
  return manifest === undefined ? '' : JSON.parse(readFileSync(manifest, 'utf8')).version;
}

function findManifest(name: string): string | undefined {
  try {
    return name.includes(' ') ? undefined : findPackageJSON(name, import.meta.url);
  } catch {
    return undefined;
  }
}

function versionOf([file, ...args]: readonly string[]): string {
  try {
    // nginx tells its version on standard error.
    const text = execFileSync('sh', ['-c', '"$@" 2>&1', 'sh', file as string, ...args], {
      encoding: 'utf8',
    });
    return /\d+(\.\d+)+/.exec(text)?.[0] ?? '';
  } catch {
    return '';
  }
}
