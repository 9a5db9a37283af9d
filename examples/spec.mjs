import storage from '@berth/spec/storage.v2.json' with { type: 'json' };

console.log(storage.info.version); // 2.0.0
