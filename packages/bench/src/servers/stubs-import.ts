// Says how long the package takes to import in a process that has loaded nothing else.
const start = performance.now();
await import('@berth/server-stubs');
process.stdout.write(String(performance.now() - start));
