import { openBrowser } from '@berth/runtimes/browser';
import { skipReason } from '@berth/runtimes/engines';
import { type Desk, usesCurl } from '@berth/snippets';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveSite } from '../support/serve-site.ts';
import { JOURNEYS, type Journey } from './journeys.ts';
import { createFreshMachine, createInstalledMachine, type Machine } from './machine.ts';
import { readSections, typePage } from './type-page.ts';

/**
 * Limits the time until the first response. The goal is 30 s; a busy machine needs several times as long.
 */
const MOST_SECONDS = 300;

/** With BERTH_SOAK, each journey installs what it needs, and then does so again with a warm cache. */
const ROUNDS = process.env.BERTH_SOAK ? ['cold cache', 'warm cache'] : ['installed'];

const needsBrowser = skipReason('chromium');
const needsCurl = skipReason('curl');
const times: string[] = [];
let machine: Machine;

beforeAll(async () => {
  machine = await (process.env.BERTH_SOAK ? createFreshMachine() : createInstalledMachine());
});
afterAll(async () => {
  process.stdout.write(`\nThe first hour: seconds until the first response\n${times.join('')}\n`);
  await machine?.close();
});

let desk: Desk | undefined;

for (const round of ROUNDS) {
  test.for(JOURNEYS)(`$name (${round})`, async (journey, t) => {
    const reason = findSkipReason(journey);
    t.skip(reason !== undefined, reason);
    if (!journey.continues) {
      desk?.close();
      desk = machine.openDesk(`${round} ${JOURNEYS.indexOf(journey)}`.replaceAll(' ', '-'));
    }
    const current = desk as Desk;
    for (const [name, text] of Object.entries(journey.own ?? {})) current.put(name, text);
    await measure(`${journey.name} (${round})`, async () => {
      expect(await take(journey, current)).toMatch(journey.shows);
    });
  });
}
afterAll(() => desk?.close());

/** Looks at the journeys that it continues, too. */
function findSkipReason(journey: Journey): string | undefined {
  const { page, sections, look, continues } = journey;
  if (look && needsBrowser) return needsBrowser;
  if (needsCurl && readSections(page, sections).some(usesCurl)) return needsCurl;
  const before = continues && JOURNEYS[JOURNEYS.indexOf(journey) - 1];
  return before && findSkipReason(before);
}

/** Types what a page says, and returns what is seen at the end. */
async function take({ page, sections, look }: Journey, at: Desk): Promise<string> {
  const printed = await typePage(at, page, sections);
  if (look === undefined) return printed;
  const ports = at.listens(4010) ? [[4010, at.port(4010)] as const] : [];
  return withPage((opened) => look(opened, at), new Map(ports));
}

async function withPage<T>(use: (page: Page) => Promise<T>, ports = new Map()): Promise<T> {
  let browser: Browser | undefined;
  try {
    browser = await openBrowser(ports);
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    const result = await use(page);
    expect(faults).toEqual([]);
    return result;
  } finally {
    await browser?.close();
  }
}

test.skipIf(needsBrowser)('read the docs, from the home page', async () => {
  await using site = await serveSite();
  await measure('read the docs, from the home page', () =>
    withPage(async (page) => {
      await page.goto(site.url);
      await page.getByRole('link', { name: 'Call the API' }).first().click();
      await page.waitForURL('**/start/client*');
      await page.getByRole('heading', { level: 1, name: 'Call the API' }).waitFor();
    }),
  );
});

async function measure(name: string, journey: () => Promise<void>): Promise<void> {
  const started = performance.now();
  await journey();
  const seconds = (performance.now() - started) / 1000;
  times.push(`${seconds.toFixed(1).padStart(6)}  ${name}\n`);
  expect(seconds).toBeLessThan(MOST_SECONDS);
}
