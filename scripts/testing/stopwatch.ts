/**
 * Starts a stopwatch, which returns milliseconds. It does not count time in which this process is ready to run but
 * others have the processor, so that a limit holds on a busy machine too. It does not know about child processes.
 */
export function startStopwatch(): () => number {
  const start = performance.now();
  const loop = performance.eventLoopUtilization();
  const processor = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(processor);
    const { active } = performance.eventLoopUtilization(loop);
    return performance.now() - start - Math.max(0, active - (user + system) / 1000);
  };
}
