import { PEER_IDS, PEERS, type Peer, type PeerId } from './peers/index.ts';
import type { SourceMutants } from './source-mutants/run-source-mutants.ts';
import { toSourceSection } from './source-mutants/to-source-section.ts';

export interface MutantRow {
  /** Index in the list of mutants. */
  index: number;
  rule: string;
  breaks: string;
  companions: readonly string[];
  /** Whether the check of its rule failed. */
  caught: boolean;
  /** Other rules that failed and are not companions. */
  unrelated: readonly string[];
  /** Whether the suite's Dredd engine found something. */
  engine?: boolean;
  /** The other tools that found something that they do not find on the correct server. */
  peers?: readonly PeerId[];
  /** The tools with a sample that have checked it. */
  sampled?: readonly PeerId[];
}

/** What other tools find on the correct server. Those that were not measured are missing. */
export type Alarms = Partial<Record<PeerId, readonly string[]>>;

export interface Mutants {
  rows: readonly MutantRow[];
  alarms: Alarms;
}

/**
 * Renders the page that lists the mutants and what detects them.
 *
 * @param total number of all mutants
 */
export function toMutantsPage(
  { rows, alarms }: Mutants,
  total: number,
  sources: SourceMutants,
): string {
  const count = (test: (row: MutantRow) => boolean | undefined) => rows.filter(test).length;
  const asked = (id: PeerId) => count((row) => wasAsked(id, row));
  const measured = PEER_IDS.filter((id) => asked(id) > 0);
  const mark = (holds: boolean | undefined) => (holds ? 'yes' : '–');
  const lines = rows.map((row) => {
    const { rule, breaks, companions, caught, unrelated, peers = [], engine } = row;
    const others = [...companions, ...unrelated].map((id) => `\`${id}\``).join(' ');
    const byPeer = (id: PeerId) => (wasAsked(id, row) ? mark(peers.includes(id)) : '');
    const [bySuite, ...byTools] = [mark(caught), mark(engine), ...measured.map(byPeer)];
    return `| \`${rule}\` | ${toCell(breaks)} | ${bySuite} | ${others} | ${byTools.join(' | ')} |`;
  });
  const byPeers = PEER_IDS.map((id) => {
    const { name, sample }: Peer = PEERS[id];
    const own = count(({ peers }) => peers?.includes(id));
    const found = sample === undefined ? own : `${own} of ${asked(id)} mutants in a sample`;
    const isMeasured = measured.includes(id);
    const falseAlarms = alarms[id]?.length ?? 'not measured yet';
    return `| By ${name} alone | ${isMeasured ? found : 'not measured yet'} | ${falseAlarms} |`;
  });
  const names = measured.map((id) => PEERS[id].name);
  return `# What the conformance suite finds

This page is written by \`npm run soak\` in \`packages/proof\`. Each row of the [last table](#mutants) is a mutant: the
reference server behind a proxy that breaks one rule. The server itself passes every rule.

| | Mutants found | False alarms |
| --- | --- | --- |
| By the suite, with the right rule | ${count(({ caught }) => caught)} of ${rows.length} | 0 |
| By the suite, with no other rule | ${count(({ caught, unrelated, companions }) => caught && unrelated.length + companions.length === 0)} | |
| By the Dredd engine of the suite, which compares the documented calls with the contract | ${count(({ engine }) => engine)} | 0 |
${byPeers.join('\n')}

A false alarm is a check that fails on the correct server. Checks of other tools that also fail there do not count as
finding a mutant. Specmatic takes seconds to start, so it only checked a sample of ${asked('specmatic')} mutants; the cells of all
other mutants are empty. The other tools get the following input:

${PEER_IDS.map((id) => `- **${PEERS[id].name}**: ${PEERS[id].gets}${toAlarms(alarms[id])}`).join('\n')}

Another ${total - rows.length} mutants are only checked with the rule that they break. Most of them reproduce faults of real gateways,
proxies and object stores, and were written from the rules alone, without looking at the checks. The rest cover faults
that are easy to miss, such as state kept for a connection instead of a call, the framing of event streams, and the
effects of rejected calls. \`npm test\` checks a part of them with each commit.

${toSourceSection(sources)}
## Mutants

| Rule | Fault | Found | Other failures | Engine Dredd | ${names.join(' | ')} |
| --- | --- | --- | --- | --- | ${names.map(() => '---').join(' | ')} |
${lines.join('\n')}
`;
}

function wasAsked(id: PeerId, { sampled = [] }: MutantRow): boolean {
  return !('sample' in PEERS[id]) || sampled.includes(id);
}

function toAlarms(alarms: readonly string[] = []): string {
  if (alarms.length === 0) return '';
  const names = new Set(alarms.map((name) => `\`${name.replace(/ \(\d+\)$/, '')}\``));
  return ` On the correct server, this fails: ${[...names].join(', ')}.`;
}

/** Escapes a text for a cell of a table. */
function toCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{', '&#123;');
}
