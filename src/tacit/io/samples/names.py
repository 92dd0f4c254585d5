"""Names for people who do not exist."""

from __future__ import annotations

_FEMALE = """
Ada Agnes Alice Amina Anna Beatriz Carla Chiara Clara Daria Edith Elena Emma Esra Eva Fatima Flora Greta
Hana Helen Ida Ines Irene Jana Julia Karin Laura Lena Lucia Maja Marta Mei Mira Nadia Nina Nora Olga Paula
Rosa Ruth Sara Selma Sofia Tara Thea Vera Wanda Xenia Yara Zoe
"""
_MALE = """
Adam Ali Anton Arthur Bruno Carl Cem Daniel David Diego Edgar Elias Emil Erik Felix Franz George Hamid
Hugo Igor Ivan Jakob Jan Joel Jonas Karl Kofi Leo Liam Luca Luis Marc Mateo Max Milan Nils Noah Omar Oscar
Otto Paul Peter Ravi Robert Samuel Simon Theo Tom Victor Yusuf
"""
_LAST = """
Abbott Acar Adler Almeida Amato Anders Arslan Bailey Baker Bauer Becker Berg Bianchi Blum Borg Brandt
Brown Carter Castro Chen Clark Conti Cooper Costa Cruz Dahl Diaz Doyle Dubois Eder Ekman Ellis Farkas
Fischer Flores Fontana Foster Frank Garcia Graf Greco Gruber Haas Hansen Harris Hofer Horvat Huber Ito
Jansen Jensen Jones Kaya Keller Khan Kim Klein Koch Kovac Kraus Lang Larsen Lee Lehner Lopez Lund Maier
Marino Martin Mayer Meyer Moore Moser Nagy Novak Okafor Olsen Ortiz Patel Perez Petrov Popov Reyes Ricci
Rossi Roth Ruiz Russo Sato Schmid Silva Singh Smith Steiner Suzuki Svoboda Tanaka Taylor Varga Vogel
Wagner Walker Weber Winter Wolf Wong Wright Yilmaz Young Zeller
"""

FIRST_NAMES = {"female": tuple(_FEMALE.split()), "male": tuple(_MALE.split())}
"""First names by sex."""
LAST_NAMES = tuple(_LAST.split())
