(screen) => {
  /* Words and numbers that a reader sees: on the first screen, or on the whole page. */
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const hidden = "script, style, dialog:not([open]), #tip, .skip";
  let words = 0;
  let numbers = 0;
  while (walk.nextNode()) {
    const node = walk.currentNode;
    const text = node.data.trim();
    if (!text || node.parentElement.closest(hidden)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.right > 0);
    const within = (box) => box.top < innerHeight - 2 && box.bottom > 0 && box.left < innerWidth;
    if (!boxes.length || (screen && !boxes.some(within))) continue;
    if (!node.parentElement.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    numbers += (text.match(/\d[\d.,]*/g) ?? []).length;
    words += (text.match(/\p{L}[\p{L}\p{M}\d'’\-./]*/gu) ?? []).length;
  }
  return { words, numbers, height: document.documentElement.scrollHeight };
}
