/** Where Forge is for other programs. The extension's pages have an origin of their own; there Forge is where it always is. */
export const SERVER_ORIGIN = location.protocol.startsWith('http') ? location.origin : 'http://127.0.0.1:8403';
