import { gatewayError, mswHandlers } from '@berth/client/msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { publishReport } from './publish-report.ts';

const berth = mswHandlers({ baseUrl: 'https://api.example.com', envId: 'dev' });
const reports = berth.service('reports');
const server = setupServer(...berth.handlers);
beforeAll(() => server.listen());
afterEach(() => {
  server.resetHandlers();
  berth.files.clear();
});
afterAll(() => server.close());

it('publishes a report', async () => {
  server.use(
    reports.post('render', async ({ request }) => `<h1>${(await request.json()).month}</h1>`),
  );
  const link = await publishReport('May');
  expect(await (await fetch(link)).text()).toBe('<h1>May</h1>');
  expect(berth.files.get('reports/May.html')?.contentType).toBe('text/html');
});

it('publishes nothing if the service has been stopped', async () => {
  server.use(reports.post('render', () => gatewayError('SERVICE_CHARGE_OVERDUE')));
  await expect(publishReport('May')).rejects.toMatchObject({ code: 'SERVICE_CHARGE_OVERDUE' });
  expect(berth.files.paths()).toEqual([]);
});
