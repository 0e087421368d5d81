// What an example prints wraps if it is sentences. A tree and a table keep their columns.
const isSentences = (text) => {
  const lines = text.trimEnd().split("\n");
  const longest = Math.max(...lines.map((line) => line.length));
  const aligned = lines.filter((line) => /\S {2,}\S|[├└│]/.test(line));
  return longest > 130 || aligned.length < 2;
};

// What scrolls sideways can be reached and scrolled by the keyboard.
const wide = () => {
  for (const part of document.querySelectorAll(".highlight-text pre")) {
    part.classList.toggle("sentences", isSentences(part.textContent));
  }
  for (const part of document.querySelectorAll("pre, .table-wrapper, div.math")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
};
addEventListener("load", wide);
addEventListener("resize", wide);
