// Stands in the image for Pepr's lib/controller/store.ts.

/** A store that is ready at once and keeps nothing. */
export class StoreController {
  constructor(_capabilities: unknown, _name: string, onReady?: () => void) {
    // Pepr binds its endpoints then, which must come after the middleware that its constructor adds.
    queueMicrotask(() => onReady?.());
  }
}
