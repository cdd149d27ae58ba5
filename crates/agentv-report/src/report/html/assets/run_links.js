// The links of a run's page to the other pages of its site.

function showLinks() {
  const [block] = packedBlocks("links");
  if (!block) return;
  const links = JSON.parse(new TextDecoder().decode(bytesOf(block)));
  byId("title").before(make("nav", { class: "links", "aria-label": "Pages" }, ...links.map(([href, text]) => make("a", { href, text }))));
}

showLinks();
