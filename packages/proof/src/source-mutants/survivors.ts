import type { SourceMutantRow } from './check-source-mutant.ts';

/** Why the suite passes a server with a source mutant. */
export const SURVIVOR_KINDS = {
  missed: { name: 'missed', title: 'A caller can see it, and the contract forbids it' },
  untried: {
    name: 'not tried',
    title: 'A caller can see it, but only if a suite cannot create the situation',
  },
  allowed: { name: 'allowed', title: 'A caller can see it, but the contract allows it' },
  unseen: { name: 'not visible', title: 'No caller can see it' },
} as const;

interface Survivors {
  kind: keyof typeof SURVIVOR_KINDS;
  reason: string;
  /** Keys of the mutants. */
  keys: readonly string[];
}

/** The keys of the mutants that the suite did not find, classified one by one, by kind and reason. */
const CLASSIFIED = {
  untried: {
    'Bodies, files and names beyond the limits of a deployment, which the suite does not look for.':
      '021eb9ce49 51bb788705 13292be596',
    'A caller would need a token that names two environments, which no operator issues.':
      '9e08863f82',
    'The next day: a signing key is derived for each day.': '16da6f6d68',
    'A client that breaks RFC 6455 and sends frames before the 101.': '93c0c5ff9c',
    'A server that is stopped during the run.': '3dd3813e24 ca1cfd5e95 2bef5269b2',
    'A store that fails while it sends a file.': 'f07794f735',
  },
  allowed: {
    'The contract defines neither `Content-Disposition` of a download nor further fields of an upload.':
      '936ce32e29 717b0ee531 579f5ab693 9e7b72371d b99b0f8f43',
    'Any code is allowed in an error, and for an item that failed.': 'cd555e38b0 074aebcb2d',
    'The contract does not define the format of access tokens (D15).': 'b29c843c46',
    'Any text is allowed as a message.': `
      8fa8e8f631 6d62a983dd ecdff69d49 0387cc9848 7b85f0c47a e7be809dd0 5c622cf733 356b8a0bda
      67c09a2562 24bc639ed9 477f22b8cd 2f2bc65477
    `,
    'The contract sets no limits for sizes, depths and the lifetime of a grant.':
      'd079c08915 d38c4a808a b3bb3c8539 e4c18e04ae 358a467a5a 8e563dd4d0 e1a894c92c',
    'The contract does not say in which order the items of a call are processed.':
      '21c0aaa9ae d1fea2bebb',
    'HTTP leaves it to the server: connections that stay open, the length of a response to HEAD, ranges, caching, challenges, codings.': `
      41c0c57003 d8be07f2a2 b86fb69c10 b6955bcd61 c1a7234c58 31752503a9 61edfe722a a5da58bece
    `,
    'The decisions leave it to the deployment: dot segments (D3), CORS headers (D11), the file name in `Content-Disposition` (D8), tokens in subprotocols, origins and invalid handshakes (D14), the clock of signatures (D18), fields in both forms (D21), dangerous keys in JSON, the body of an error of a link (D27).':
      '3ca4ca131d feff192690 23bdbcdf07 6770b5e296 4147fde5c0 f5af805c7f d0182c27a2',
    'RFC 7578 recommends a file name in the part of a file, so the upload target may require one.':
      'a2073405a2',
  },
  unseen: {
    'The code serves other documents and other frameworks: parameters in queries, objects and cookies, mixed paths, parts of other forms, validated responses, Express.': `
      c38524b389 9bc3599391 1bab485330 2944782efd e9ac1854f3 a98979886b 2ff53111ec b111e09cfb
      0d186b9d3a 0ced6e041e 71b318b40e 8af11d0bea f678d2e3f0 5260f4cc5d 68e19d7a75 96f9ba5617
      e61973e9bb ea5d68a808 722c6b82e4 2b6be18a27 673b153a0c 7c3bdb23bd 5bcd361b91 fd0a195bbb
      3286b3fab5 23c4b255ce 48c24af3de 86f7a2150c
    `,
    'The code serves other configurations: several versions and endpoints of a service, services that start, a single environment, documents of services, rotated keys, listed origins, several disks.': `
      d8c5311cd2 fe166c41dd 4aa4520ffd a057f3e6b3 d93beae3fc 0d2931c617 77a02118c9 7b9a793fcd
      5263943eb6 d6acfe5b03 87d2c55898 f0ed458944 970a6a1798
    `,
    'Only the use of memory, disk and connections changes.': `
      42fea5567e 91f28e9c6c fbc7c53dd7 d64e38984f d7799ec47a c2b06a65b9 ee32ccac79 7cdbe2c68a
      cc37b7a4c5
    `,
    'The code verifies the integrity of the store, or writes a log.':
      'd25ba8f061 ba00b57cd4 b80d894d62 ea7e28b91e 82b37cfcc1 600b143f9f',
    'Other code has the same effect.': `
      4a707afb7d 065e0db072 61480323a1 813b84e38f 458babd7d5 c1b6b18508 8ee95a248f 5c2ad69afb
      4d5ce7749a
    `,
  },
} satisfies Partial<Record<keyof typeof SURVIVOR_KINDS, Record<string, string>>>;

export const SURVIVORS: readonly Survivors[] = Object.entries(CLASSIFIED).flatMap(
  ([kind, reasons]) =>
    Object.entries(reasons).map(([reason, keys]) => ({
      kind: kind as keyof typeof CLASSIFIED,
      reason,
      keys: keys.trim().split(/\s+/),
    })),
);

/** Returns the classification of a mutant, or `undefined` if it was found. */
export function toSurvivor({
  key,
  verdict,
}: Pick<SourceMutantRow, 'key' | 'verdict'>): Survivors | { kind: 'unclassified' } | undefined {
  if (verdict !== 'survived' && verdict !== 'unreached') return undefined;
  return SURVIVORS.find(({ keys }) => keys.includes(key)) ?? { kind: 'unclassified' };
}

/** Returns the share of the mutants that the suite finds, of those that it should find. */
export function toScore(rows: readonly SourceMutantRow[]): {
  found: number;
  missed: number;
  score: number;
} {
  const found = rows.filter(
    ({ verdict }) => verdict === 'found' || verdict === 'incomplete',
  ).length;
  const missed = rows.filter((row) =>
    ['missed', 'unclassified'].includes(toSurvivor(row)?.kind ?? ''),
  ).length;
  return { found, missed, score: found / (found + missed) };
}
