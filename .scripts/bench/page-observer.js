/* global window, PerformanceObserver, requestAnimationFrame, MessageChannel, performance */
// Runs in the page before anything else does: `readings` is what the browser and the frames tell about keys and tasks.
const readings = { keys: [], tasks: [], events: [] };
window.readings = readings;

function observe(type, list, options = {}) {
  new PerformanceObserver((found) => {
    for (const { duration } of found.getEntries()) list.push(duration);
  }).observe({ type, buffered: true, ...options });
}
observe('longtask', readings.tasks);
observe('event', readings.events, { durationThreshold: 16 });

window.addEventListener(
  'keydown',
  ({ timeStamp }) =>
    requestAnimationFrame(() => {
      // A message comes behind the frame that is being painted.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => readings.keys.push(performance.now() - timeStamp);
      port2.postMessage(0);
    }),
  { capture: true },
);
