// The files of a project share workers: a clock that one of them has stopped would also stand still for the next.
import { afterAll, vi } from 'vitest';

afterAll(() => {
  vi.useRealTimers();
});
