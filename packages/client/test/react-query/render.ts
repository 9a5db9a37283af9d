import './dom.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import * as library from '@testing-library/react';
import { createElement, type ReactNode } from 'react';
import { onTestFinished } from 'vitest';

// A shared machine may stall for a while.
library.configure({ asyncUtilTimeout: 300_000 });
export const { act, waitFor } = library;

/** Creates a separate cache. Otherwise, its timers would run on in the other files of the process. */
export function newQueryClient(): QueryClient {
  const queryClient = new QueryClient();
  onTestFinished(() => queryClient.clear());
  return queryClient;
}

/** Renders a component that uses hooks, with a separate cache. */
export function renderHook<Result>(hook: () => Result) {
  const client = newQueryClient();
  onTestFinished(library.cleanup);
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(QueryClientProvider, { client }, children);
  return library.renderHook(hook, { wrapper });
}
