// What scrolls sideways can be reached and scrolled by the keyboard.
const wide = () => {
  for (const part of document.querySelectorAll("pre, .table-wrapper, div.math")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
};
addEventListener("load", wide);
addEventListener("resize", wide);
