// Caches the files of this version of the site for offline use. A new version becomes active when
// no page uses the old one.
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
  const cached = caches.open(NAME).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(cached.then((response) => response ?? fetch(event.request)));
};
