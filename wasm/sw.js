// Keeps the files of this version of the site, so that it works without a network. A new version is
// taken once no page shows the old one.
const NAME = 'wabe-@VERSION@';
const FILES = [
@FILES@
];

oninstall = (event) => event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'no-cache' })))));

onactivate = (event) => event.waitUntil((async () => {
  const old = (await caches.keys()).filter((name) => name.startsWith('wabe-') && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
})());

onfetch = (event) => {
  if (event.request.method !== 'GET') return;
  const kept = caches.open(NAME).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((response) => response ?? fetch(event.request)));
};
