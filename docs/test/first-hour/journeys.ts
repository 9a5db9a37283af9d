import type { Desk } from '@berth/snippets';
import type { ConsoleMessage, Page } from 'playwright-core';

/** What a newcomer does in the first hour, and what the first response contains. */
export interface Journey {
  name: string;
  /** What is typed: the blocks in these sections of a page. */
  page: string;
  sections: readonly string[];
  shows: RegExp;
  /** Continues in the folder of the journey before, whose servers are still running. */
  continues?: true;
  /** Files that newcomers bring along. */
  own?: Readonly<Record<string, string>>;
  /** Looks at the result in a browser, and returns what it shows. */
  look?(page: Page, desk: Desk): Promise<string>;
}

const PETS = `openapi: 3.1.1
info: { title: Pets, version: 1.0.0 }
paths:
  /pets:
    get:
      operationId: listPets
      responses:
        '200':
          description: All pets.
          content:
            application/json:
              schema:
                type: array
                items: { type: object, properties: { name: { type: string } } }
              example: [{ name: Rex }]
`;

/** As the pages ask for. */
const MODULES = { 'package.json': '{ "type": "module" }\n' };

const APP = 'docs/guides/browser.md';
const SERVER = 'docs/start/server.md';
const SUITE = 'docs/start/conformance.md';

const heading = (page: Page) => page.locator('h1').first();

/** Waits until a heading of the app shows a text. */
async function readHeading(page: Page, text: string): Promise<string> {
  await heading(page).filter({ hasText: text }).waitFor();
  return (await heading(page).textContent()) ?? '';
}

const openApp = async (page: Page, desk: Desk) => {
  await page.goto(`http://localhost:${desk.port(5173)}/`);
};

export const JOURNEYS: readonly Journey[] = [
  {
    name: 'mock the API with npx',
    page: 'docs/start/mock.md',
    sections: ['Mock the API'],
    shows: /Hello from the hosted service\./,
  },
  {
    name: 'Vite and React, against the mock',
    page: APP,
    sections: ['The app'],
    shows: /Hello from the hosted service\./,
    async look(page, desk) {
      await openApp(page, desk);
      return readHeading(page, 'Hello from the hosted service.');
    },
  },
  {
    name: 'React Query, with an upload',
    page: APP,
    sections: ['Queries and uploads'],
    continues: true,
    shows: /^Sold: 12$/,
    async look(page, desk) {
      await openApp(page, desk);
      await page.getByRole('button', { name: 'Upload' }).click();
      const link = await page.getByRole('link', { name: 'report.txt' }).getAttribute('href');
      return page.evaluate(async (url) => (await fetch(url)).text(), link ?? '');
    },
  },
  {
    name: 'MSW in the browser',
    page: APP,
    sections: ['Without a server'],
    continues: true,
    shows: /Hello from this page\./,
    async look(page, desk) {
      await openApp(page, desk);
      return readHeading(page, 'Hello from this page.');
    },
  },
  {
    name: 'MSW in Vitest',
    page: 'packages/client/README.md',
    sections: ['@berth/client', 'Unit tests'],
    shows: /Tests +2 passed/,
  },
  {
    name: 'start a server project (init)',
    page: 'docs/start/stubs.md',
    sections: ['Write a server'],
    shows: /SERVICE_NOT_FOUND/,
  },
  {
    name: 'own document: stubs',
    page: 'packages/server-stubs/README.md',
    sections: ['@berth/server-stubs', 'Your own document'],
    own: { ...MODULES, 'openapi.yaml': PETS },
    shows: /listPets is not implemented yet/,
  },
  {
    name: 'own document: mock',
    page: 'packages/mock/README.md',
    sections: ['@berth/mock', 'Any OpenAPI document'],
    own: { 'petstore.yaml': PETS },
    shows: /Rex/,
  },
  {
    name: 'typed client of a service, in Node and a browser',
    page: 'docs/guides/service-contracts.md',
    sections: ['The document', 'The mock', 'The client'],
    own: MODULES,
    shows: /^Anchor$/,
    async look(page, desk) {
      const isItem = (message: ConsoleMessage) => message.text() === 'Anchor';
      const printed = page.waitForEvent('console', isItem);
      await openApp(page, desk);
      return (await printed).text();
    },
  },
  {
    name: 'server, called with curl',
    page: SERVER,
    sections: ['Run the server'],
    shows: /Hello from the hosted service\./,
  },
  {
    name: 'server, with an upload by berth',
    page: SERVER,
    sections: ['Serve your own services', 'Store a file'],
    shows: /^Sold: 12$/m,
  },
  {
    name: 'suite, against the mock',
    page: SUITE,
    sections: ['Check a deployment'],
    shows: /follows the contract/,
  },
  {
    name: 'suite, against a wrong server',
    page: SUITE,
    sections: ['See a failure'],
    shows: /ST-DELETE/,
    async look(page, desk) {
      await page.goto(`file://${desk.path('report.html')}`);
      return (await page.locator('body').textContent()) ?? '';
    },
  },
];
