import rules from '@berth/spec/rules.json' with { type: 'json' };
import { CLIENT_RESULTS, DRIVEN_CLIENTS } from './driven-clients.ts';
import { toLines } from './to-page.ts';

const WORDS: Record<string, string> = { pass: 'yes', fail: 'no', skip: '–' };

/** Renders the reference page that shows which clients follow which rules. Tests repeat the results. */
export function toClientsPage(): string {
  const rows = rules.clientRules.map(({ id, level }) => [
    `\`${id}\``,
    level,
    ...DRIVEN_CLIENTS.map((client) => toCell(client.id, id)),
  ]);
  const head = ['Rule', 'Level', ...DRIVEN_CLIENTS.map(({ name }) => name)];
  const total = DRIVEN_CLIENTS.map(({ id }) => {
    const followed = rules.clientRules.filter((rule) => toCell(id, rule.id) === 'yes');
    return `${followed.length}`;
  });
  return [
    '# Clients and their rules',
    '',
    'This page shows which of the [rules for clients](rules.md#clients) some clients follow, as checked by',
    '[`berth-conformance client`](../guides/client-conformance.md). The generated clients have the settings from the page of',
    '[generators](generators.md). Except for `@berth/client`, the drivers sign storage calls and fetch links themselves, and',
    'do not read event streams or sign gateway calls, which is shown as –.',
    '',
    ...toLines([head, ...rows, ['Followed', '', ...total]]),
    '',
  ].join('\n');
}

function toCell(client: string, rule: string): string {
  return WORDS[CLIENT_RESULTS[client]?.[rule] ?? ''] ?? '';
}
