// Prints how long it takes to import the package in a fresh process.
const start = performance.now();
await import('@berth/server-stubs');
process.stdout.write(String(performance.now() - start));
