// A heap of partial paths, the cheapest first.

export class Frontier {
  constructor() {
    this.items = [];
    this.order = 0;
  }
  static before(a, b) {
    return a.steps.size - b.steps.size || a.cost - b.cost || a.order - b.order;
  }
  push(item) {
    item.order = this.order++;
    const { items } = this;
    let i = items.push(item) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (Frontier.before(items[up], items[i]) <= 0) break;
      [items[up], items[i]] = [items[i], items[up]];
      i = up;
    }
  }
  pop() {
    const { items } = this;
    const top = items[0],
      last = items.pop();
    if (items.length) {
      items[0] = last;
      for (let i = 0; ;) {
        let least = i;
        for (const c of [2 * i + 1, 2 * i + 2]) {
          if (c < items.length && Frontier.before(items[c], items[least]) < 0) least = c;
        }
        if (least === i) break;
        [items[least], items[i]] = [items[i], items[least]];
        i = least;
      }
    }
    return top;
  }
}
