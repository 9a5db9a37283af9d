import { expect, it } from 'vitest';
import { DOCUMENTS, prepareSubject } from '../src/peers/documents.ts';
import { measure } from '../src/peers/measure.ts';
import { readPage } from '../src/peers/to-section.ts';

/** The cells of a document in the tables of the comparison: mock servers, validators, suites. */
function readRows(title: string): string[][] {
  const rows = readPage()
    .split('\n')
    .filter((line) => line.startsWith(`| ${title},`));
  return rows.map((row) => row.split('|').map((cell) => cell.trim()));
}

it('the comparison contains what is measured with one of its documents', async () => {
  const [mocks = [], validators = []] = readRows(DOCUMENTS['train-travel'].title);
  const subject = await prepareSubject('train-travel');
  const figures = await measure(subject, { mocks: ['prism', 'berth'], faults: 1 });
  const { requests, suites } = figures;
  const toCell = (id: 'prism' | 'berth') =>
    `${figures.mocks[id]?.right}, ${figures.mocks[id]?.valid}`;
  expect(mocks.slice(2, 4)).toEqual([`${requests.mocks}, ${requests.mocksValid}`, toCell('prism')]);
  expect(mocks[5]).toBe(toCell('berth'));
  expect(validators.slice(2, 5)).toEqual(
    [requests.all, figures.validators['express-openapi-validator'], figures.validators.berth].map(
      String,
    ),
  );
  expect(suites.berth).toEqual({ alarms: 0, found: figures.faults });
  expect(suites.dredd.alarms).toBeDefined();
});
