import '../react-query/dom.ts';
import { gatewayError, mswHandlers } from '@berth/client/msw';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, configure, fireEvent, render, waitFor } from '@testing-library/react';
import { setupServer } from 'msw/node';
import { createElement } from 'react';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Profile } from './profile.tsx';

configure({ asyncUtilTimeout: 300_000 });
const berth = mswHandlers({ baseUrl: 'https://api.example.com' });
const users = berth.service('users');
const server = setupServer(...berth.handlers);
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  cleanup();
  server.resetHandlers();
});
afterAll(() => server.close());

function show() {
  const client = new QueryClient();
  const { container } = render(
    createElement(QueryClientProvider, { client }, createElement(Profile, { id: '7' })),
  );
  return container;
}

it('shows a user with a picture, and uploads a new one', async () => {
  const pictureID = berth.files.put('pictures/7.png', 'old');
  server.use(users.get('7', () => ({ name: 'Ada', pictureID })));
  const page = show();
  await waitFor(() => expect(page.querySelector('h1')?.textContent).toBe('Ada'));
  await waitFor(() => expect(page.querySelector('img')?.src).toContain('/pictures/7.png?expires='));

  const input = page.querySelector('input') as HTMLInputElement;
  fireEvent.change(input, { target: { files: [new File(['new'], 'a.png')] } });
  await waitFor(() => expect(page.querySelector('progress')?.getAttribute('max')).toBe('3'));
  await waitFor(() => expect(berth.files.get('pictures/7.png')?.text()).toBe('new'));
});

it('shows what went wrong', async () => {
  server.use(users.get('7', () => gatewayError('SERVICE_FORBIDDEN')));
  const page = show();
  await waitFor(() => expect(page.textContent).toContain('SERVICE_FORBIDDEN'));
});
