"use strict";
document.getElementById("page").textContent = JSON.parse(document.getElementById("report").textContent).title;
