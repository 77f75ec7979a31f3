// The server renders everything. With scripts the verdict follows the typing, so the button is only a fallback.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) {
    event.target.form.requestSubmit();
  }
});
