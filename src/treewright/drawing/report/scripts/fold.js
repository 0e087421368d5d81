// Which nodes to open first: those whose split explains most, as long as all cards fit.

import { layOut } from "./layout.js";

const MOST_TRIED = 40;

// Closes nodes until the tree fits: opens, one at a time, the split that lowers the
// impurity most. Returns how many nodes are open. `fits` is asked about each layout.
export function openToFit(model, closed, direction, fits) {
  const { N, isEnd, gain, weight, children } = model;
  closed.fill(0);
  for (let i = 0; i < N; i++) if (!isEnd(i)) closed[i] = 1;
  const isOpen = (i) => !isEnd(i) && !closed[i];
  const worth = (i) => gain[i] * weight[i];
  const waiting = isEnd(0) ? [] : [0];
  let opened = 0;
  for (let tried = 0; waiting.length && tried < MOST_TRIED; tried++) {
    const best = waiting.reduce((a, b) => (worth(b) > worth(a) ? b : a));
    waiting.splice(waiting.indexOf(best), 1);
    closed[best] = 0;
    if (fits(layOut(model, isOpen, direction)) || opened === 0) {
      opened += 1;
      waiting.push(...children(best).filter((c) => !isEnd(c)));
    } else closed[best] = 1;
  }
  return opened;
}

// The better direction for a stage: the one that can open more nodes.
export function bestDirection(model, fits) {
  const trial = new Uint8Array(model.N);
  const down = openToFit(model, trial, "down", fits);
  return openToFit(model, trial, "right", fits) > down ? "right" : "down";
}
